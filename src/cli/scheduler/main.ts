#!/usr/bin/env node
import { refusalOf } from "../program/NodeVersion.ts"

const refusal = refusalOf(process.versions.node)
if (refusal === undefined) {
  const [{ cli }, { runMain }] = await Promise.all([import("./Command.ts"), import("../program/RunMain.ts")])
  runMain(cli)
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
