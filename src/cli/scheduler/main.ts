#!/usr/bin/env node
import { runMain } from "../RunMain.ts"
import { cli } from "./Command.ts"

runMain(cli)
