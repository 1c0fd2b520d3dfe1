import { Agent, request } from "node:http"

export interface JsonResponse {
  readonly status: number
  // CommandPublic or CommandList of the contract
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/** JSON over kept connections, with as little of the client's own as possible: it shares two cores with the brain. */
export const clientOf = (url: string, token: string, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = (method: "GET" | "POST", path: string, body?: object): Promise<JsonResponse> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text)
      }
      request(`${url}/api/v1${path}`, { method, agent, headers }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on(
          "end",
          () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) })
        )
      }).on("error", reject).end(text)
    })
  return { send, close: () => agent.destroy() }
}

export type Client = ReturnType<typeof clientOf>
