import type { TestResponse } from '../../support/http-request.js'

/** The value and attributes of the session cookie as it was set, attributes without a value as true; null when it was not. */
export function sessionCookieOf({ setCookies }: TestResponse): Record<string, string | true> | null {
  const cookie = setCookies.find(text => /^sessionId=[^;]/.test(text))
  if (!cookie) return null
  const [, ...attributes] = cookie.split(/;\s*/)
  const value = /^sessionId=([^;]*)/.exec(cookie)![1]!
  return {
    value,
    ...Object.fromEntries(
      attributes.map(attribute => {
        const [name, text] = attribute.split('=')
        return [name!, text ?? true]
      }),
    ),
  }
}

/** The session identifier that an answer hands out, in its body or as the cookie; null when it does not. */
export function sessionIdOf(answer: TestResponse): string | null {
  return answer.json?.sessionId ?? sessionCookieOf(answer)?.value ?? null
}

/** The device ids that an answer hands out in cookies, one at most. */
export function deviceIdsOf({ setCookies }: TestResponse): string[] {
  return setCookies.flatMap(text => /^__Host-device=([^;]+)/.exec(text)?.[1] ?? [])
}
