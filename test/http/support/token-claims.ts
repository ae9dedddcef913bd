/** The payload of an access token, unverified. */
export function claimsOf(accessToken: string): Record<string, unknown> {
  return segment(accessToken, 1)
}

/** The header of an access token, unverified. */
export function headerOf(accessToken: string): Record<string, unknown> {
  return segment(accessToken, 0)
}

/** The same token with its signature damaged. */
export function withBadSignature(accessToken: string): string {
  return `${accessToken.slice(0, -8)}AAAAAAAA`
}

function segment(token: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}
