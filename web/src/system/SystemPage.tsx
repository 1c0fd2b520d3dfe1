import { useNavigate, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { AuditForwarder } from "./AuditForwarder.tsx"
import { HealthChecks } from "./HealthChecks.tsx"
import { SecondFactorPolicy } from "./SecondFactorPolicy.tsx"
import { SettingsInForce } from "./SettingsInForce.tsx"
import { Versions } from "./Versions.tsx"

/** The brain itself, for global admins: how its parts are, what runs, and with which settings. */
export const SystemPage = () => {
  const { tab = "health" } = useSearch({ from: "/signed-in/system" })
  const { nav, system: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <>
      <PageHeader title={nav.system} />
      <Tabs
        label={nav.system}
        tabs={texts.tabs}
        value={tab}
        onChoose={(tab) => void navigate({ to: "/system", search: { tab } })}
      />
      <div className="grid gap-4 pt-4 pb-6">
        {tab === "health" && (
          <>
            <HealthChecks />
            <AuditForwarder />
          </>
        )}
        {tab === "versions" && <Versions />}
        {tab === "settings" && (
          <>
            <SecondFactorPolicy />
            <SettingsInForce />
          </>
        )}
      </div>
    </>
  )
}
