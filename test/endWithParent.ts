/** A vitest that is killed leaves its workers running, each with a core of its own. Imported once by each worker. */
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"))
