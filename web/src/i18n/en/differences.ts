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
  begins: (failed: string, succeeded: string) => `Failed ones since ${failed}, succeeded ones since ${succeeded}.`,
  noFailure: (time: string) => `Found no failed task since ${time}.`,
  noSuccess: (time: string) => `Found no succeeded task since ${time}, so there is nothing to compare with.`,
  nothing: "Nothing is clearly more frequent among the failed tasks.",
  noEarlierSuccess: (count: string) =>
    `No task of this name succeeded among the last ones before it (at most ${count}).`,
  same: "Nothing differs from the last success."
}
