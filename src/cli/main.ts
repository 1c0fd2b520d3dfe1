#!/usr/bin/env node
import { refusalOf } from "./program/NodeVersion.ts"

// before the program's modules: their syntax or their native parts may not suit an untested version
const refusal = refusalOf(process.versions.node)
if (refusal === undefined) {
  const [{ cli }, { runMain }] = await Promise.all([import("./Command.ts"), import("./program/RunMain.ts")])
  runMain(cli)
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
