import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery } from "../session/session.ts"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { InlineForm } from "../ui/InlineForm.tsx"
import { Loading } from "../ui/Notices.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { ZoneField } from "../ui/ZoneField.tsx"

/** The names and the zone of the person, and the roles that admins gave. */
export const Profile = () => {
  const { account: texts, none, people } = useTexts()
  const queries = useQueryClient()
  const { data: me } = useQuery(meQuery)
  if (!me) return <Loading />
  return (
    <div className="mx-4 grid gap-4">
      <Panel title={texts.profile}>
        <InlineForm
          onSubmit={async (form) => {
            const names = ["display_name", "first_name", "last_name"] as const
            queries.setQueryData(
              meQuery.queryKey,
              await unwrap(api.PATCH("/api/v1/auth/me", {
                body: {
                  ...Object.fromEntries(names.map((name) => [name, fieldText(form, name)])),
                  timezone: fieldText(form, "timezone")
                }
              }))
            )
          }}
        >
          <TextField
            label={texts.displayName}
            hint={texts.displayNameHint}
            name="display_name"
            defaultValue={me.display_name ?? ""}
            required={false}
            maxLength={200}
            autoComplete="nickname"
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={texts.firstName}
              name="first_name"
              defaultValue={me.first_name ?? ""}
              required={false}
              maxLength={100}
              autoComplete="given-name"
            />
            <TextField
              label={texts.lastName}
              name="last_name"
              defaultValue={me.last_name ?? ""}
              required={false}
              maxLength={100}
              autoComplete="family-name"
            />
          </div>
          <ZoneField label={texts.zone} hint={texts.zoneHint} name="timezone" initial={me.timezone} />
        </InlineForm>
      </Panel>
      <Panel title={texts.access}>
        <Facts>
          <Fact name={people.email}>{me.email}</Fact>
          {me.is_admin && <Fact name={texts.everywhere}>{texts.globalAdmin}</Fact>}
          {me.memberships.map(({ project_slug, role }) => (
            <Fact key={project_slug} name={project_slug}>{people.roles[role]}</Fact>
          ))}
          {!me.is_admin && me.memberships.length === 0 && <Fact name={people.role}>{none}</Fact>}
        </Facts>
      </Panel>
    </div>
  )
}
