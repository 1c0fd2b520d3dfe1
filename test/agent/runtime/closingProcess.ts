/** A script that starts an agent, closes it, and has nothing else to wait for. Its argument: the folder for the buffer. */
import { startAgent } from "../../../src/agent/runtime/startAgent.ts"

const agent = await startAgent({
  brainUrl: "http://127.0.0.1:1",
  token: "token-of-a-test",
  hmacSecret: Buffer.alloc(32, 7).toString("base64url"),
  home: process.argv[2] ?? "",
  engines: [],
  log: () => {
    throw new Error("the host's log is broken")
  }
})
await agent.close()
console.log("closed")
