import { common } from "./common.ts"

export const differences = {
  title: "What differs when it fails",
  againstSuccess: "Against the last success",
  property: "Property",
  hour: "Hour (UTC)",
  version: common.version,
  anyValue: "present",
  thisTask: "This task",
  lastSuccess: "Last success",
  compared: (failed: string, succeeded: string) => `Compared: ${failed} failed and ${succeeded} succeeded tasks.`,
  noFailure: "No task failed in this time.",
  noSuccess: "No task succeeded in this time, so there is nothing to compare with.",
  nothing: "Nothing is clearly more frequent among the failed tasks.",
  noEarlierSuccess: "No earlier task of this name succeeded.",
  same: "Nothing differs from the last success."
}
