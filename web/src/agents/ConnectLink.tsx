import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { buttonClass } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"

/** To the set-up of a new agent. For admins. */
export const CreateLink = ({ slug }: { readonly slug: string }) => {
  const { agents: texts } = useTexts()
  return (
    <Link to="/projects/$slug/agents/new" params={{ slug }} className={buttonClass("primary")}>
      <Icon name="add" />
      {texts.create}
    </Link>
  )
}

/** The way forward from an empty list that agents fill. */
export const ConnectLink = ({ slug }: { readonly slug: string }) => {
  const { agents: texts } = useTexts()
  const isAdmin = useCan(slug, "admin")
  if (isAdmin) return <CreateLink slug={slug} />
  return <Link to="/projects/$slug/agents" params={{ slug }} className={buttonClass()}>{texts.title}</Link>
}
