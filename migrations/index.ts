import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { m0001 } from "./0001_main.ts"
import { m0002 } from "./0002_invitations.ts"
import { m0003 } from "./0003_mfa.ts"
import { m0004 } from "./0004_activity.ts"
import { m0005 } from "./0005_ended.ts"
import { m0006 } from "./0006_agent_names.ts"
import { m0007 } from "./0007_task_exceptions.ts"
import { m0008 } from "./0008_task_retries.ts"
import { m0009 } from "./0009_leases.ts"
import { m0010 } from "./0010_schedules.ts"
import { m0011 } from "./0011_schedule_imports.ts"
import { m0012 } from "./0012_schedule_clock.ts"
import { m0013 } from "./0013_schedule_changes.ts"
import { m0014 } from "./0014_schedule_streams.ts"
import { m0015 } from "./0015_schedule_recovery.ts"
import { m0016 } from "./0016_schedule_operations.ts"
import { m0017 } from "./0017_external_misfires.ts"
import { m0018 } from "./0018_notifications.ts"
import { m0019 } from "./0019_saved_views.ts"
import { m0020 } from "./0020_task_fingerprints.ts"
import { m0021 } from "./0021_automation.ts"
import { m0022 } from "./0022_deliveries.ts"
import { m0023 } from "./0023_task_orphans.ts"
import { m0024 } from "./0024_offline_episodes.ts"
import { m0025 } from "./0025_alert_conditions.ts"
import { m0026 } from "./0026_failure_groups.ts"
import { m0027 } from "./0027_failure_rates.ts"
import { m0028 } from "./0028_bulk_retries.ts"
import { m0029 } from "./0029_automation_successors.ts"
import { m0030 } from "./0030_automation_message_indexes.ts"
import { m0031 } from "./0031_backtests.ts"
import { m0032 } from "./0032_notification_lists.ts"
import { m0033 } from "./0033_failure_groups_list.ts"
import { m0034 } from "./0034_failure_recoveries.ts"
import { m0035 } from "./0035_project_policies.ts"
import { m0036 } from "./0036_rollups.ts"
import { m0037 } from "./0037_release_checks.ts"
import { m0038 } from "./0038_oidc.ts"
import { m0039 } from "./0039_approvals.ts"
import { m0040 } from "./0040_export_jobs.ts"
import { m0041 } from "./0041_rollups_by_time.ts"
import { m0042 } from "./0042_attention.ts"
import { m0043 } from "./0043_task_commands.ts"
import { m0044 } from "./0044_oidc_logout.ts"
import { m0045 } from "./0045_bulk_jobs.ts"
import { m0046 } from "./0046_task_export_jobs.ts"
import { m0047 } from "./0047_export_deletion.ts"
import { m0048 } from "./0048_sources.ts"
import { m0049 } from "./0049_four_eyes.ts"
import { m0050 } from "./0050_login_places.ts"
import { m0051 } from "./0051_misfire_outages.ts"
import { m0052 } from "./0052_delivery_batches.ts"

/** Every step in order. A step that has been released is never edited; the next one follows. */
export const migrations: ReadonlyArray<Migration> = [
  m0001,
  m0002,
  m0003,
  m0004,
  m0005,
  m0006,
  m0007,
  m0008,
  m0009,
  m0010,
  m0011,
  m0012,
  m0013,
  m0014,
  m0015,
  m0016,
  m0017,
  m0018,
  m0019,
  m0020,
  m0021,
  m0022,
  m0023,
  m0024,
  m0025,
  m0026,
  m0027,
  m0028,
  m0029,
  m0030,
  m0031,
  m0032,
  m0033,
  m0034,
  m0035,
  m0036,
  m0037,
  m0038,
  m0039,
  m0040,
  m0041,
  m0042,
  m0043,
  m0044,
  m0045,
  m0046,
  m0047,
  m0048,
  m0049,
  m0050,
  m0051,
  m0052
]
