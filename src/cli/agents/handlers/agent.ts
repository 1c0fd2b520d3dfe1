import { Console } from "effect"
import { diagnose } from "../../../agent/runtime/Doctor.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import type { definitions } from "../agent.ts"

export const handlers: HandlersOf<typeof definitions> = {
  doctor: handleWithSettings(function*({ json, noWebsocket }) {
    const { agentAllowInsecure, agentBrainUrl, agentHmacSecret, agentHome, agentToken } = yield* Settings
    const findings = yield* diagnose({
      brainUrl: agentBrainUrl,
      token: agentToken ?? "",
      hmacSecret: agentHmacSecret ?? "",
      allowInsecure: agentAllowInsecure === "yes",
      ...(agentHome === "" ? {} : { home: agentHome })
    }, { websocket: !noWebsocket })
    const failed = findings.filter(({ status }) => status === "failed")
    // a detail may quote the server that responded
    yield* Console.log(
      json
        ? escapeJson(JSON.stringify({ ok: failed.length === 0, findings }))
        : findings.map(({ check, detail, status }) => `${check.padEnd(9)}  ${status.padEnd(7)}  ${escapeText(detail)}`)
          .join("\n")
    )
    if (failed.length > 0) {
      return yield* new CliError({ message: `${failed.length} of ${findings.length} checks failed` })
    }
  })
}
