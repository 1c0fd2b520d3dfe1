import { Link } from "@tanstack/react-router"
import { shortId } from "../format/shortId.ts"
import { linkClass } from "../ui/TextLink.tsx"

/** The page of an agent, by its name. */
export const AgentLink = ({ className = linkClass.row, id, name, slug }: {
  readonly slug: string
  readonly id: string
  /** Null: unknown. */
  readonly name: string | null
  readonly className?: string
}) => (
  <Link
    to="/projects/$slug/agents/$agentId"
    params={{ slug, agentId: id }}
    className={className}
  >
    {name ?? shortId(id)}
  </Link>
)
