/**
 * `fetch` as the pages of one origin have it: with Origin, the session cookie where credentials are sent, a preflight
 * where one is due, and no answer for a page that CORS does not let read it. One is one cookie jar.
 */
export function browserFetch(origin: string, fetch = globalThis.fetch): typeof globalThis.fetch {
  const cookies = new Map<string, string>()
  return async (input, init) => {
    const request = new Request(input, init)
    const withCookies = request.credentials === 'include'
    const check = (answer: Response) => requireCors(answer, origin, withCookies)
    const custom = [...request.headers.keys()].filter(name => name !== 'accept')
    if (custom.length > 0) await check(await preflight(fetch, request, origin, custom))
    const headers = new Headers(request.headers)
    headers.set('Origin', origin)
    if (withCookies && cookies.size > 0)
      headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await fetch(new Request(request, { headers }))
    if (withCookies) for (const line of answer.headers.getSetCookie()) keep(cookies, line)
    return check(answer)
  }
}

function preflight(
  fetch: typeof globalThis.fetch,
  { url, method, signal }: Request,
  origin: string,
  custom: string[],
): Promise<Response> {
  const headers = {
    Origin: origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': custom.join(', '),
  }
  return fetch(url, { method: 'OPTIONS', headers, signal }).then(answer => {
    const allowed = (answer.headers.get('Access-Control-Allow-Headers') ?? '').toLowerCase().split(', ')
    const refused = custom.filter(name => !allowed.includes(name))
    if (refused.length > 0) throw new TypeError(`The preflight does not allow ${refused}`)
    return answer
  })
}

async function requireCors(answer: Response, origin: string, withCookies: boolean): Promise<Response> {
  const isAllowed = answer.headers.get('Access-Control-Allow-Origin') === origin
  const mayUseCookies = answer.headers.get('Access-Control-Allow-Credentials') === 'true'
  if (isAllowed && (mayUseCookies || !withCookies)) return answer
  await answer.body?.cancel()
  throw new TypeError(`CORS does not let ${origin} read this`)
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string]
  if (value === '' || /Max-Age=0/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}
