import { flag, integer, list, text } from "./Kinds.ts"

/** Scheduler programs: whether this brain fires schedules itself, and the gRPC listener for programs that do. */
export const schedulerSettings = {
  embeddedScheduler: flag(
    "SVC_EMBEDDED_SCHEDULER",
    { default: true },
    "Whether the brain fires schedules itself; false: only scheduler programs do, over gRPC."
  ),
  schedulerGrpcBind: text(
    "SVC_SCHEDULER_GRPC_BIND",
    { default: "" },
    "Address on which scheduler programs are served over gRPC; empty: they are not.",
    { tunable: false }
  ),
  schedulerGrpcPort: integer(
    "SVC_SCHEDULER_GRPC_PORT",
    { default: 7701, min: 0, max: 65535 },
    "Port on which scheduler programs are served.",
    { tunable: false }
  ),
  schedulerGrpcTlsCert: text(
    "SVC_SCHEDULER_GRPC_TLS_CERT",
    { default: "" },
    "File with the PEM certificate that the brain shows to scheduler programs.",
    { tunable: false }
  ),
  schedulerGrpcTlsKey: text(
    "SVC_SCHEDULER_GRPC_TLS_KEY",
    { default: "" },
    "File with its PEM private key.",
    { tunable: false }
  ),
  schedulerGrpcTlsCa: text(
    "SVC_SCHEDULER_GRPC_TLS_CA",
    { default: "" },
    "File with the PEM certificates of the authority that signs the certificates of scheduler programs.",
    { tunable: false }
  ),
  schedulerGrpcAllowedNames: list(
    "SVC_SCHEDULER_GRPC_ALLOWED_NAMES",
    "Certificate names of the scheduler programs that may connect; empty: all that the authority has signed."
  )
} as const
