import { Layer } from "effect"
import { Channels } from "./Channels.ts"
import { Deliveries } from "./Deliveries.ts"
import { MaintenanceWindows } from "./MaintenanceWindows.ts"
import { AlertEngine } from "./Notifications/AlertEngine.ts"
import { Alerts } from "./Notifications/Alerts.ts"
import { DeliveryLog } from "./Notifications/DeliveryLog.ts"
import * as Dispatcher from "./Notifications/Dispatcher.ts"
import { Subscriptions } from "./Subscriptions.ts"

/*
 * Notifications of what happened (docs/notifications.md). The way of a message:
 *
 * 1. A trigger event waits in the outbox of `triggers/`. `Subscriptions` say who is notified of it, and where;
 *    `MaintenanceWindows`, when nothing is sent.
 * 2. `Notifications/AlertEngine.ts` counts the events of a condition in one alert, and decides when it sends a
 *    message: the first one, updates, escalation, recovery. People see, acknowledge and snooze alerts by `Alerts`.
 * 3. `Notifications/AlertMessages.ts` creates their deliveries and inbox rows. Automation rules enqueue `Deliveries` too.
 * 4. `Notifications/Dispatcher.ts` sends deliveries to `Channels`, whose folder has a file for each type of them, and
 *    `Channels/Health.ts` warns of channels that fail. People see and repeat what was sent by `DeliveryLog`.
 */

/** What people and other areas use, and the loops that decide and send. */
export const layer = Layer.mergeAll(
  AlertEngine.layer,
  AlertEngine.layerLoops,
  Alerts.layer,
  Channels.layer,
  Deliveries.layer,
  DeliveryLog.layer,
  MaintenanceWindows.layer,
  Subscriptions.layer,
  Dispatcher.layer
)
