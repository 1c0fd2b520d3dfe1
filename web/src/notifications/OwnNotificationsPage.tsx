import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { BrowserSwitch } from "../inbox/BrowserSwitch.tsx"
import { meQuery } from "../session/session.ts"
import { projectsQuery } from "../shell/projects.ts"
import { buttonClass } from "../ui/Button.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { ownChannels } from "./channels/channelOwner.ts"
import { ChannelsPart, useChannels } from "./channels/ChannelsPart.tsx"
import { CopyProjectChannel } from "./channels/CopyProjectChannel.tsx"
import { DeliveriesPart } from "./deliveries/DeliveriesPart.tsx"
import { ownDeliveries } from "./deliveries/deliveryOwner.ts"
import { readDeliverySearch } from "./search.ts"
import { ownSubscriptions } from "./subscriptions/subscriptionOwner.ts"
import { SubscriptionsPart } from "./subscriptions/SubscriptionsPart.tsx"

const from = "/signed-in/account/notifications"

const Subscriptions = () => {
  const { nav, ownNotifications, subscriptions: texts } = useTexts()
  const { data: me } = useQuery(meQuery)
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: channels = [] } = useChannels(ownChannels)
  if (me?.memberships.length === 0) {
    return (
      <EmptyState title={texts.none} hint={ownNotifications.noProject}>
        <Link to="/" className={buttonClass()}>{nav.allProjects}</Link>
      </EmptyState>
    )
  }
  return (
    <SubscriptionsPart
      owner={ownSubscriptions}
      slug={null}
      channels={channels}
      hint={texts.ownHint}
      projectOf={({ project_id }) => projects.find(({ id }) => id === project_id)?.name ?? ""}
    />
  )
}

const Deliveries = () => {
  const { channels: texts } = useTexts()
  const search = useSearch({ from })
  const navigate = useNavigate()
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: channels = [] } = useChannels(ownChannels)
  return (
    <DeliveriesPart
      owner={ownDeliveries}
      channels={channels}
      projects={projects.map(({ slug }) => slug)}
      search={readDeliverySearch({ ...search })}
      toChannels={
        <Link to="/account/notifications" search={{ part: "channels" }} className={buttonClass()}>{texts.title}</Link>
      }
      onSearch={(chosen) => void navigate({ to: "/account/notifications", search: { part: "deliveries", ...chosen } })}
    />
  )
}

/** What the signed-in person is notified of, through which channels of their own, and what was sent. */
export const OwnNotificationsPage = () => {
  const { channel, part = "subscriptions" } = useSearch({ from })
  const { channels, ownNotifications: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <>
      <PageHeader title={texts.title} />
      <BrowserSwitch />
      <Tabs
        label={texts.title}
        tabs={texts.parts}
        value={part}
        onChoose={(chosen) =>
          void navigate({ to: "/account/notifications", search: chosen === "subscriptions" ? {} : { part: chosen } })}
      />
      {part === "subscriptions" && <Subscriptions />}
      {part === "channels" && (
        <ChannelsPart owner={ownChannels} linked={channel} emptyHint={channels.noneOwnHint}>
          <CopyProjectChannel />
        </ChannelsPart>
      )}
      {part === "deliveries" && <Deliveries />}
    </>
  )
}
