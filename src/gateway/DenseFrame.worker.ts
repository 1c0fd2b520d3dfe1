/** A thread that verifies frames of very many values: see `protocol/DenseFrame.ts`. */
import { parentPort } from "node:worker_threads"
import { type DenseFrameRequest, readDenseFrame } from "../protocol/DenseFrame.ts"

parentPort?.on("message", (request: DenseFrameRequest) => parentPort?.postMessage(readDenseFrame(request)))
