import type { ClientDataJSON } from '@simplewebauthn/server/helpers'

/**
 * What the browser has signed about the page. Null when it cannot be read, and for a page in another site's
 * frame, whose embedder decides what the user sees. The library refuses that only where the browser names the
 * embedder, which Safari does not.
 */
export function clientDataOf(clientDataJSON: string): ClientDataJSON | null {
  try {
    const text = Buffer.from(clientDataJSON, 'base64url').toString()
    const clientData = JSON.parse(text) as Partial<ClientDataJSON> | null
    const { crossOrigin, topOrigin, challenge } = clientData ?? {}
    const isEmbedded = (crossOrigin ?? false) !== false || topOrigin !== undefined
    return isEmbedded || typeof challenge !== 'string' ? null : (clientData as ClientDataJSON)
  } catch {
    return null
  }
}
