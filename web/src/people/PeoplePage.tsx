import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { base, type Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import type { Role } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Panel } from "../ui/Panel.tsx"
import { CopyLine, ShownOnce } from "../ui/ShownOnce.tsx"
import { Invitations } from "./Invitations.tsx"
import { InviteForm } from "./InviteForm.tsx"
import { Members } from "./Members.tsx"

const RoleGuide = () => {
  const { people: texts } = useTexts()
  return (
    <div className="mx-4 mb-6">
      <Panel title={texts.rolesTitle}>
        <dl className="grid gap-x-4 gap-y-2 px-4 py-3 sm:grid-cols-[max-content_1fr]">
          {(Object.entries(texts.roles) as Array<[Role, string]>).map(([role, name]) => ( // its keys are the roles
            <div key={role} className="grid gap-x-4 sm:col-span-2 sm:grid-cols-subgrid">
              <dt className="font-medium">{name}</dt>
              <dd className="max-w-[72ch] text-soft">{texts.roleHints[role]}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </div>
  )
}

/** Who belongs to the project and in which role, and who is invited to it. For its admins. */
export const PeoplePage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/people" })
  const { people: texts } = useTexts()
  const isAdmin = useCan(slug, "admin")
  const [isInviting, setInviting] = useState(false)
  const [invited, setInvited] = useState<Schemas["CreatedInvitation"] | null>(null)
  return (
    <>
      <PageHeader title={texts.title}>
        {isAdmin && (
          <Button variant="primary" className="ml-auto" onClick={() => setInviting(true)}>{texts.invite}</Button>
        )}
      </PageHeader>
      <Members slug={slug} />
      <h2 className="px-4 pb-3 text-large font-semibold">{texts.invitations}</h2>
      <Invitations slug={slug} />
      <RoleGuide />
      {isInviting && <InviteForm slug={slug} onInvited={setInvited} onClose={() => setInviting(false)} />}
      {invited !== null && !isInviting && (
        <ShownOnce
          title={texts.invitedTitle(invited.invitation.email)}
          onClose={() => setInvited(null)}
        >
          <p>{invited.email_sent ? texts.mailSent : texts.mailNotSent}</p>
          <CopyLine label={texts.link} text={`${base}${invited.accept_url_path}`} />
          <p className="text-soft">{texts.linkHint}</p>
        </ShownOnce>
      )}
    </>
  )
}
