import { queryOptions, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { agentsQuery } from "../agents/agents.ts"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { goLetters, goStroke } from "../keys/keys.ts"
import { schedulesQuery } from "../schedules/queries.ts"
import { meQuery } from "../session/session.ts"
import { useProjectPages } from "../shell/Navigation.tsx"
import { projectsQuery } from "../shell/projects.ts"
import { formatQuery } from "../tasks/query.ts"
import { readTasks } from "../tasks/readTasks.ts"
import { workersQuery } from "../workers/workers.ts"
import { type ContextAction, readContextActions } from "./contextActions.ts"
import { selectMatches } from "./fuzzy.ts"

export type Group = "actions" | "pages" | "tasks" | "projects" | "schedules" | "queues" | "workers" | "agents"

export interface Item {
  readonly id: string
  readonly group: Group
  readonly title: string
  /** Beside the title, such as the keys of a page or the id of a task. */
  readonly hint?: string
  readonly run: () => void
}

/** Searching for tasks begins with so many characters, once typing pauses. */
const minSearch = 4
const pauseMillis = 200
const maxTasks = 8
const maxOfGroup = 8

const queuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["queues", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path: { slug } } }))
  })

const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

/** Tasks whose id holds what was typed, before those that match otherwise. A search that typing overtakes is aborted. */
const useFoundTasks = (slug: string | undefined, typed: string) => {
  const text = usePaused(typed.trim())
  const found = useQuery({
    queryKey: ["palette", "tasks", slug, text],
    enabled: slug !== undefined && text.length >= minSearch,
    queryFn: ({ signal }) => readTasks(slug ?? "", { search: text, limit: 50 }, signal),
    gcTime: 0
  })
  const hasId = ({ task_id }: { readonly task_id: string }) => task_id.toLowerCase().includes(text.toLowerCase())
  const tasks = (found.data ?? []).toSorted((a, b) => Number(hasId(b)) - Number(hasId(a))).slice(0, maxTasks)
  return { tasks: typed.trim() === text ? tasks : [], isSearching: found.isFetching || typed.trim() !== text }
}

const useNamed = (slug: string | undefined) => {
  const enabled = slug !== undefined
  const name = slug ?? ""
  return {
    agents: useQuery({ ...agentsQuery(name), enabled }).data ?? [],
    workers: useQuery({ ...workersQuery(name), enabled }).data ?? [],
    queues: useQuery({ ...queuesQuery(name), enabled }).data ?? [],
    schedules: useQuery({ ...schedulesQuery(name), enabled }).data?.schedules ?? []
  }
}

/** What the palette offers for what was typed, group by group. */
export const useItems = (slug: string | undefined, typed: string) => {
  const { nav } = useTexts()
  const navigate = useNavigate()
  const pages = useProjectPages(slug)
  const named = useNamed(slug)
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: me } = useQuery(meQuery)
  const { isSearching, tasks } = useFoundTasks(slug, typed)
  // what was selected or open when the palette was opened
  const [actions] = useState<ReadonlyArray<ContextAction>>(readContextActions)
  const project = { slug: slug ?? "" }

  const groups: Readonly<Record<Group, ReadonlyArray<Omit<Item, "group">>>> = {
    actions,
    pages: [
      ...pages.map(({ name, to }) => ({
        id: to,
        title: nav[name],
        hint: `${goStroke} ${goLetters[name]}`,
        run: () => void navigate({ to, params: project })
      })),
      { id: "home", title: nav.allProjects, run: () => void navigate({ to: "/" }) },
      { id: "account", title: nav.account, run: () => void navigate({ to: "/account" }) },
      ...(me?.is_admin === true
        ? [
          { id: "users", title: nav.users, run: () => void navigate({ to: "/users" }) },
          { id: "system", title: nav.system, run: () => void navigate({ to: "/system" }) }
        ]
        : [])
    ],
    tasks: tasks.map(({ engine, id, name, task_id }) => ({
      id,
      title: name,
      hint: task_id,
      run: () =>
        void navigate({
          to: "/projects/$slug/tasks/$engine/$taskId",
          params: { ...project, engine, taskId: task_id }
        })
    })),
    projects: projects.filter((one) => one.slug !== slug).map(({ id, name, slug }) => ({
      id,
      title: name,
      hint: slug,
      run: () => void navigate({ to: "/projects/$slug", params: { slug } })
    })),
    schedules: named.schedules.map(({ id, name }) => ({
      id,
      title: name,
      run: () => void navigate({ to: "/projects/$slug/schedules/$scheduleId", params: { ...project, scheduleId: id } })
    })),
    queues: named.queues.map(({ engine, id, name }) => ({
      id,
      title: name,
      hint: engine,
      run: () =>
        void navigate({
          to: "/projects/$slug/tasks",
          params: project,
          search: { q: formatQuery({ queue: name, engine }) }
        })
    })),
    workers: named.workers.map(({ engine, id, name }) => ({
      id,
      title: name,
      hint: engine,
      run: () => void navigate({ to: "/projects/$slug/workers/$workerId", params: { ...project, workerId: id } })
    })),
    agents: named.agents.map(({ id, name }) => ({
      id,
      title: name,
      run: () => void navigate({ to: "/projects/$slug/agents/$agentId", params: { ...project, agentId: id } })
    }))
  }
  const hasTyped = typed.trim() !== ""
  const items = (Object.entries(groups) as ReadonlyArray<[Group, ReadonlyArray<Omit<Item, "group">>]>) // its keys
    .filter(([group]) => hasTyped || group === "actions" || group === "pages" || group === "projects")
    .flatMap(([group, all]): ReadonlyArray<Item> =>
      (group === "tasks" ? all : selectMatches(typed, all, hasTyped ? maxOfGroup : all.length))
        .map((item) => ({ ...item, group }))
    )
  return { items, isSearching: hasTyped && typed.trim().length >= minSearch && isSearching }
}
