package main

import "github.com/spf13/cobra"

func recordingCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recording",
		Short: "List and find recordings, show, compare and verify them, take secrets out",
		Long: `Work on recordings: those that hallmark test --record wrote, and what hallmark
record captured, plain (.jsonl) and packed (.jsonl.zst). Where files are asked
for, a folder stands for the recordings below it.

Exit 4 says that a recording is damaged or cut; a capture that is being written
has no closing line yet, and is taken as far as it goes.`,
	}
	cmd.AddCommand(
		recordingList(io),
		recordingFind(io),
		recordingShow(io),
		recordingCat(io),
		recordingDiff(io),
		recordingVerify(io),
		recordingRedact(io),
		recordingImport(io),
	)
	return cmd
}
