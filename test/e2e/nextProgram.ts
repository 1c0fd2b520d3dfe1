/** The program `svc` with two steps more in its schema: the version to which a rolling upgrade goes. */
import { cli } from "../../src/cli/Command.ts"
import { runMain } from "../../src/cli/program/RunMain.ts"
import { asNextProgram } from "../migrations.ts"

runMain({ name: cli.name, run: (args) => asNextProgram(cli.run(args)) })
