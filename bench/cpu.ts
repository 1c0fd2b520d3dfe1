import { readFileSync } from "node:fs"

/** Linux counts a process's CPU time in ticks of 10 ms. */
const ticksPerSecond = 100

/** Seconds of CPU time that the process has used, in all its threads. */
export const cpuSecondsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
