import { Effect, Layer } from "effect"
import { InvitationAccepted } from "../../../domain/identity/Invitation.ts"
import { Invitations } from "../../../services/identity/Invitations.ts"
import { InvitationAcceptance } from "../../../services/identity/Invitations/Acceptance.ts"
import { DashboardPages } from "../../../services/kernel/DashboardPages.ts"
import { respondWithPage } from "../../Html/HtmlPage.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Authorize } from "../../middleware/Authorize.ts"
import { makeSessionResponse } from "../../middleware/SessionResponse.ts"
import { renderInvitationPage } from "./Page.ts"

const InvitationsHttp = implementGroup("invitations", function*(handlers) {
  const invitations = yield* Invitations
  return handlers
    .handle("create", ({ payload }) => invitations.create(payload))
    .handle("list", () => invitations.list())
    .handle("revoke", ({ path }) => invitations.revoke(path.invitation_id))
})

const InvitationHttp = implementGroup("invitation", function*(handlers) {
  const acceptance = yield* InvitationAcceptance
  const { browserOf } = yield* Authorize
  const respond = yield* makeSessionResponse(InvitationAccepted, 201)
  return handlers
    .handle("preview", ({ payload }) => acceptance.preview(payload.token))
    .handle("accept", ({ payload, request }) =>
      Effect.flatMap(
        acceptance.accept(payload, browserOf(request)),
        ({ accepted, session }) => respond(accepted, session)
      ))
})

const InvitationPageHttp = implementGroup("invitation_page", function*(handlers) {
  const { isServed } = yield* DashboardPages
  const page = renderInvitationPage(isServed())
  return handlers.handle("page", () => Effect.succeed(respondWithPage(page)))
})

export const layer = Layer.mergeAll(InvitationsHttp, InvitationHttp, InvitationPageHttp)
