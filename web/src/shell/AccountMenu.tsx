import { useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { api, ApiError, unwrap } from "../api/client.ts"
import { chooseZone, useZoneChoice, type ZoneChoice } from "../format/zone.ts"
import { type Language, languages, useLanguage } from "../i18n/Language.tsx"
import type { Me } from "../session/session.ts"
import { chooseTheme, type Theme, useTheme } from "../theme/theme.ts"
import { Button } from "../ui/Button.tsx"
import { SelectField } from "../ui/Fields.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"
import { useProblem } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"

const PlaceLink = ({ children, icon, to }: {
  readonly to: "/account" | "/account/notifications" | "/users" | "/system"
  readonly icon: IconName
  readonly children: string
}) => (
  <Link
    to={to}
    activeOptions={{ exact: true, includeSearch: false }}
    className="flex items-center gap-3 rounded-base px-2 py-2 hover:bg-hover chosen:bg-press"
    onClick={({ currentTarget }) => currentTarget.closest<HTMLElement>("[popover]")?.hidePopover()}
  >
    <Icon name={icon} />
    {children}
  </Link>
)

export const AccountMenu = ({ me }: { readonly me: Me }) => {
  const { choose, language, texts } = useLanguage()
  const theme = useTheme()
  const zone = useZoneChoice()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const problemOf = useProblem()
  const signOut = async () => {
    try {
      await unwrap(api.POST("/api/v1/auth/logout"))
    } catch (error) {
      // 401: the session has ended already
      if (!(error instanceof ApiError && error.status === 401)) {
        return toast.show({ title: texts.error.actionTitle, ...problemOf(error), tone: "bad" })
      }
    }
    queries.clear()
    return navigate({ to: "/sign-in", search: {} })
  }
  return (
    <Menu
      label={texts.settings.account}
      button={
        <>
          <Icon name="person" />
          <span className="max-w-[16ch] truncate max-md:hidden">{me.display_name ?? me.email}</span>
        </>
      }
    >
      <div className="grid w-60 gap-3 p-2">
        <p className="truncate font-medium">{me.email}</p>
        <nav aria-label={texts.settings.account} className="grid gap-0.5">
          <PlaceLink to="/account" icon="person">{texts.nav.account}</PlaceLink>
          <PlaceLink to="/account/notifications" icon="notifications">{texts.notifications.own}</PlaceLink>
          {me.is_admin && (
            <>
              <PlaceLink to="/users" icon="people">{texts.nav.users}</PlaceLink>
              <PlaceLink to="/system" icon="system">{texts.nav.system}</PlaceLink>
            </>
          )}
        </nav>
        <SelectField<Theme>
          label={texts.settings.theme}
          value={theme}
          choices={texts.settings.themes}
          onChoose={chooseTheme}
        />
        <SelectField<Language>
          label={texts.settings.language}
          value={language}
          choices={languages}
          onChoose={choose}
        />
        <SelectField<ZoneChoice>
          label={texts.settings.zone}
          value={zone}
          choices={texts.settings.zones}
          onChoose={chooseZone}
        />
        <Button onClick={() => void signOut()}>{texts.session.signOut}</Button>
      </div>
    </Menu>
  )
}
