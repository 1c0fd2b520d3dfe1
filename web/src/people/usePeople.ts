import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { shortId } from "../format/shortId.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"
import { membersQuery } from "./members.ts"

export interface Person {
  readonly id: string
  readonly name: string
}

/** As many as the API gives in one page; the names of further users are their ids. */
const maxUsers = 200
const namesStaleMillis = 5 * 60_000

/**
 * Names of the people in rows that have ids only. Admins may list the members of their project, and global admins all
 * users. Others see the names that rows have, and ids.
 */
export const usePeople = (slug: string | undefined) => {
  const { persons: texts } = useTexts()
  const { data: me } = useQuery(meQuery)
  const isAdmin = useCan(slug ?? "", "admin")
  const { data: members = [] } = useQuery({
    ...membersQuery(slug ?? ""),
    enabled: slug !== undefined && isAdmin,
    staleTime: namesStaleMillis
  })
  const { data: users = [] } = useQuery({
    queryKey: ["users", "names"],
    queryFn: () => unwrap(api.GET("/api/v1/users", { params: { query: { limit: maxUsers } } })),
    enabled: me?.is_admin === true,
    staleTime: namesStaleMillis
  })
  const names = new Map<string, string>()
  for (const { display_name, email, id } of users) names.set(id, display_name ?? email)
  for (const { user_display_name, user_email, user_id } of members) names.set(user_id, user_display_name ?? user_email)
  if (me) names.set(me.id, me.display_name ?? me.email)
  const people: ReadonlyArray<Person> = [...names].map(([id, name]) => ({ id, name }))
    .sort((one, other) => one.name.localeCompare(other.name))
  return {
    people,
    isMe: (id: string | null) => id !== null && id === me?.id,
    /** `null`: the program itself. `shown`: the name in the row, where it has one. */
    nameOf: (id: string | null, shown: string | null = null) =>
      id === null ? texts.program : names.get(id) ?? shown ?? shortId(id)
  }
}
