import { Link } from "@tanstack/react-router"
import { linkClass } from "../ui/TextLink.tsx"

/** A queue's name that leads to its page. */
export const QueueLink = ({ className = linkClass.text, engine, name, slug, title }: {
  readonly slug: string
  readonly engine: string
  readonly name: string
  readonly className?: string
  readonly title?: string
}) => (
  <Link
    to="/projects/$slug/queues/$engine/$queue"
    params={{ slug, engine, queue: name }}
    className={className}
    {...(title !== undefined && { title })}
  >
    {name}
  </Link>
)
