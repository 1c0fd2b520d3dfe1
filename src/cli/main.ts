#!/usr/bin/env node
import { cli } from "./Command.ts"
import { runMain } from "./RunMain.ts"

runMain(cli)
