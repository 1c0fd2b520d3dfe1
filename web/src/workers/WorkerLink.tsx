import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { TaskListLink } from "../tasks/TaskLinks.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { workersQuery } from "./workers.ts"

const idsStaleMillis = 60_000

/** The page of the worker of this name; of one that is not known any more, its tasks. */
export const WorkerLink = ({ className = linkClass.text, engine, name, slug }: {
  readonly slug: string
  readonly engine: string | null
  readonly name: string
  readonly className?: string
}) => {
  const { data: workers } = useQuery({ ...workersQuery(slug), staleTime: idsStaleMillis })
  const worker = workers?.find((one) => one.name === name && (engine === null || one.engine === engine))
  return worker === undefined
    ? (
      <TaskListLink slug={slug} query={{ worker: name, ...(engine !== null && { engine }) }} className={className}>
        {name}
      </TaskListLink>
    )
    : (
      <Link to="/projects/$slug/workers/$workerId" params={{ slug, workerId: worker.id }} className={className}>
        {name}
      </Link>
    )
}
