import { useNavigate, useSearch } from "@tanstack/react-router"
import { ApiKeys } from "../apiKeys/ApiKeys.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { Profile } from "./Profile.tsx"
import { Security } from "./Security.tsx"
import { Sessions } from "./Sessions.tsx"

/** The own account: who the person is, how the person signs in, where the person is signed in, and keys for programs. */
export const AccountPage = () => {
  const { tab = "profile" } = useSearch({ from: "/signed-in/account" })
  const { account: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <>
      <PageHeader title={texts.title} />
      <Tabs
        label={texts.title}
        tabs={texts.tabs}
        value={tab}
        onChoose={(tab) => void navigate({ to: "/account", search: { tab } })}
      />
      <div className="pt-4 pb-6">
        {tab === "profile" && <Profile />}
        {tab === "security" && <Security />}
        {tab === "sessions" && <Sessions />}
        {tab === "keys" && <ApiKeys />}
      </div>
    </>
  )
}
