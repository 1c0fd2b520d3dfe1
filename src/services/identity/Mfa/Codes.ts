import { randomInt } from "node:crypto"
import { generateSecret, generateURI, verifySync } from "otplib"

/**
 * Codes of authenticator apps (RFC 6238): six digits, 30 seconds, SHA-1 over 20 random bytes. Every app supports these.
 */
const periodSeconds = 30

const isTotp = (code: string): boolean => /^\d{6}$/.test(code)

/** A new secret in base32, and the URL that a QR code for the app holds. */
export const newTotpSecret = (email: string) => {
  const secret = generateSecret()
  return { secret, url: generateURI({ issuer: "svc", label: email, secret }) }
}

/**
 * The code's time step: the current one, or the one before or after, to allow for clock skew and typing time. Null when
 * the code matches none of them.
 */
export const findTimeStep = (secret: string, code: string, epochMillis: number): number | null => {
  if (!isTotp(code)) return null
  const epoch = Math.floor(epochMillis / 1000)
  const result = verifySync({ secret, token: code, epoch, period: periodSeconds, epochTolerance: periodSeconds })
  return result.valid ? Math.floor(epoch / periodSeconds) + result.delta : null
}

/** Letters and digits, without those that look alike. */
const recoveryAlphabet = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
const length = 20
const count = 10

/**
 * Ten recovery codes of 20 characters, 116 bits each: enough entropy for plain hashes (ASVS 6.5.2), and within the
 * contract's length.
 */
export const newRecoveryCodes = (): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    () => Array.from({ length }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]).join("")
  )
