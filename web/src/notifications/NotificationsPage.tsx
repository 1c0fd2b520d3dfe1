import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { buttonClass } from "../ui/Button.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { AlertsPart } from "./alerts/AlertsPart.tsx"
import { channelsOfProject } from "./channels/channelOwner.ts"
import { ChannelsPart, useChannels } from "./channels/ChannelsPart.tsx"
import { CopyOwnChannel } from "./channels/CopyOwnChannel.tsx"
import { ClearDeliveries } from "./deliveries/ClearDeliveries.tsx"
import { DeliveriesPart } from "./deliveries/DeliveriesPart.tsx"
import { deliveriesOfProject } from "./deliveries/deliveryOwner.ts"
import { MaintenancePart } from "./maintenance/MaintenancePart.tsx"
import { type Part, readDeliverySearch } from "./search.ts"
import { defaultsOfProject } from "./subscriptions/subscriptionOwner.ts"
import { SubscriptionsPart } from "./subscriptions/SubscriptionsPart.tsx"

const Defaults = ({ slug }: { readonly slug: string }) => {
  const { subscriptions: texts } = useTexts()
  const defaults = useMemo(() => defaultsOfProject(slug), [slug])
  const { data: channels = [] } = useChannels(useMemo(() => channelsOfProject(slug), [slug]))
  return <SubscriptionsPart owner={defaults} slug={slug} channels={channels} hint={texts.defaultsHint} />
}

const Deliveries = ({ slug }: { readonly slug: string }) => {
  const search = useSearch({ from: "/signed-in/projects/$slug/notifications" })
  const { channels: texts } = useTexts()
  const navigate = useNavigate()
  const deliveries = useMemo(() => deliveriesOfProject(slug), [slug])
  const { data: channels = [] } = useChannels(useMemo(() => channelsOfProject(slug), [slug]))
  return (
    <DeliveriesPart
      owner={deliveries}
      channels={channels}
      search={readDeliverySearch({ ...search })}
      toChannels={
        <Link
          to="/projects/$slug/notifications"
          params={{ slug }}
          search={{ part: "channels" }}
          className={buttonClass()}
        >
          {texts.title}
        </Link>
      }
      onSearch={(chosen) =>
        void navigate({
          to: "/projects/$slug/notifications",
          params: { slug },
          search: { part: "deliveries", ...chosen }
        })}
    >
      {deliveries.clear !== null && <ClearDeliveries slug={slug} queryKey={deliveries.key} clear={deliveries.clear} />}
    </DeliveriesPart>
  )
}

/** What a project sends to people and channels: alerts and maintenance for its members, the rest for its admins. */
export const NotificationsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/notifications" })
  const { channel, part = "alerts" } = useSearch({ from: "/signed-in/projects/$slug/notifications" })
  const { channels, notifications: texts } = useTexts()
  const navigate = useNavigate()
  const isAdmin = useCan(slug, "admin")
  const projectChannels = useMemo(() => channelsOfProject(slug), [slug])
  const { alerts, maintenance } = texts.parts
  const tabs: Partial<Record<Part, string>> = isAdmin ? texts.parts : { alerts, maintenance }
  return (
    <>
      <PageHeader title={texts.title}>
        <TextLink to="/account/notifications" search={{}} className="ml-auto">
          {texts.own}
        </TextLink>
      </PageHeader>
      <Tabs
        label={texts.title}
        tabs={tabs}
        value={part}
        onChoose={(chosen) =>
          void navigate({
            to: "/projects/$slug/notifications",
            params: { slug },
            search: chosen === "alerts" ? {} : { part: chosen }
          })}
      />
      {part === "alerts" && <AlertsPart slug={slug} />}
      {isAdmin && part === "channels" && (
        <ChannelsPart key={slug} owner={projectChannels} linked={channel} emptyHint={channels.noneHint}>
          <CopyOwnChannel slug={slug} />
        </ChannelsPart>
      )}
      {isAdmin && part === "defaults" && <Defaults key={slug} slug={slug} />}
      {isAdmin && part === "deliveries" && <Deliveries key={slug} slug={slug} />}
      {part === "maintenance" && <MaintenancePart slug={slug} />}
    </>
  )
}
