import { HttpApiEndpoint } from "@effect/platform"
import { DeadLetterPage, ListDeadLetters } from "../../../domain/commands/DeadLetter.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

/** What engines keep of failed tasks (bodies: dead-letters). */
export class DeadLettersApi extends projectGroup("dead_letters", "Queues and workers")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/dead-letters`
      .setUrlParams(ListDeadLetters)
      .addSuccess(DeadLetterPage)
      .annotate(Access, {
        caller: "viewer",
        scope: "tasks:read",
        bucket: "dead_letters",
        failureCodes: ["agent_offline", "dead_letters_unsupported", "agent_refused", "agent_no_answer"]
      })
      .annotateContext(operation(
        "List dead letters",
        "The failed tasks that an engine keeps, read by its agent at this moment: the request waits for the agent, at " +
          "most 16 seconds. The order is the agent's."
      ))
  )
{}
