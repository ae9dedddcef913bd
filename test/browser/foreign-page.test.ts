import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Cookie } from 'playwright-core'
import type { User } from '../sources.js'
import { anOwner, PASSWORD } from '../support/people.js'
import { API, EVIL, MAIN, SIBLING } from './stage/hosts.js'
import { aStage } from './stage/stage.js'
import { Tab } from './stage/tab.js'

const stage = aStage()
let victim: User
let attacker: User
let person: BrowserContext
let home: Tab
let cookies: Cookie[]
beforeAll(async () => {
  victim = await anOwner(stage.app)
  attacker = await anOwner(stage.app)
  person = await stage.newPerson()
  home = await Tab.open(person, MAIN)
  await home.login(victim)
  cookies = await person.cookies()
})
beforeEach(() => stage.received.forget())

/** The victim is who they were, with the session they had, and nothing was done in their name. */
async function expectNothingHappened(): Promise<void> {
  for (const { method, path, status } of stage.received.to())
    expect({ method, path, isRefused: status >= 400 }).toMatchObject({ isRefused: true })
  expect(await person.cookies()).toEqual(cookies)
  expect(await home.run('client.refresh()')).toMatchObject({ userId: victim.id })
}

/** The requests that arrived, in short. */
function arrived(): string[] {
  return stage.received.to().map(({ method, path, status }) => `${method} ${path} ${status}`)
}

describe.each([
  { what: 'another site', origin: EVIL, hasCookie: false },
  { what: 'the same site, but not ours', origin: SIBLING, hasCookie: true },
])('a page of $what', ({ origin, hasCookie }) => {
  let tab: Tab
  beforeEach(async () => {
    tab = await Tab.open(person, origin)
  })

  test.each([
    ['GET', '/api/profile'],
    ['POST', '/api/refresh'],
    ['POST', '/api/logout'],
  ])('cannot read or do %s %s with fetch and credentials', async (method, path) => {
    const asked = `fetch('${API}${path}', { method: '${method}', credentials: 'include' })`
    expect(await tab.attempt(asked)).toBe('TypeError')
    expect(arrived()).toEqual([`${method} ${path} 403`])
    // What the browser sent is what the service had to refuse.
    expect('cookie' in stage.received.to(path)[0]!.headers).toBe(hasCookie)
    await expectNothingHappened()
  })

  test.each(['/api/refresh', '/api/logout'])('learns nothing of %s in no-cors mode', async path => {
    const asked = `fetch('${API}${path}', { method: 'POST', mode: 'no-cors', credentials: 'include' })
      .then(async answer => [answer.type, answer.status, await answer.text()])`
    const blocked = hasCookie ? ['opaque', 0, ''] : 'TypeError'
    expect(await tab.attempt(asked)).toEqual(blocked)
    expect(arrived()).toEqual([`POST ${path} 403`])
    await expectNothingHappened()
  })

  test('does nothing with a beacon', async () => {
    await tab.run(`navigator.sendBeacon('${API}/api/logout', 'x')`)
    await stage.received.untilAnswered(1)
    expect(arrived()).toEqual(['POST /api/logout 403'])
    await expectNothingHappened()
  })

  test.each(['/api/logout', '/api/refresh'])('does nothing with a form that posts to %s', async path => {
    await tab.run(`(() => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action: '${API}${path}' })
      document.body.append(form)
      form.submit()
    })()`)
    await stage.received.untilAnswered(1)
    expect(arrived()).toEqual([`POST ${path} 403`])
    await expectNothingHappened()
  })

  test('logs nobody in as somebody else with a form that looks like JSON', async () => {
    const login = JSON.stringify({ email: attacker.email, password: PASSWORD, source: 'main' })
    await tab.run(
      `(() => {
        const form = document.createElement('form')
        Object.assign(form, { method: 'post', action: '${API}/api/login', enctype: 'text/plain' })
        const field = Object.assign(document.createElement('input'), { name: input.slice(0, -1) + ',"x":"', value: '"}' })
        form.append(field)
        document.body.append(form)
        form.submit()
      })()`,
      login,
    )
    await stage.received.untilAnswered(1)
    expect(arrived()).toEqual(['POST /api/login 403'])
    await expectNothingHappened()
  })

  test.each(['img', 'script', 'iframe', 'embed'])('gets nothing into an element: %s', async element => {
    const load = `new Promise(resolve => {
      const element = document.createElement('${element}')
      element.onload = () => resolve('load')
      element.onerror = () => resolve('error')
      element.src = '${API}/api/profile'
      document.body.append(element)
    })`
    const outcome = await tab.run(load)
    // A frame "loads" the browser's own page of refusal.
    if (element === 'img' || element === 'script') expect(outcome).toBe('error')
    for (const line of arrived()) expect(line).toBe('GET /api/profile 401')
    const seen = await tab.run(
      `[...document.querySelectorAll('iframe')].map(frame => frame.contentDocument === null)`,
    )
    expect(seen).toEqual(element === 'iframe' ? [true] : [])
    await expectNothingHappened()
  })

  test('sees nothing in a window that it opens', async () => {
    const opened = person.waitForEvent('page')
    await tab.run(`void (globalThis.other = window.open('${API}/api/profile'))`)
    const other = await opened
    await other.waitForLoadState()
    expect(arrived()).toEqual(['GET /api/profile 401'])
    expect(await tab.attempt('other.document.body.innerText')).toBe('SecurityError')
    await other.close()
    await expectNothingHappened()
  })

  test('does nothing from a sandboxed frame, whose Origin is null', async () => {
    const answer = tab.run(
      `new Promise(resolve => {
      addEventListener('message', ({ data }) => resolve(data), { once: true })
      const frame = document.createElement('iframe')
      frame.setAttribute('sandbox', 'allow-scripts')
      frame.srcdoc = input
      document.body.append(frame)
    })`,
      framed(`${API}/api/refresh`),
    )
    expect(await answer).toBe('TypeError')
    expect(stage.received.to('/api/refresh')).toMatchObject([{ status: 403, headers: { origin: 'null' } }])
    await expectNothingHappened()
  })
})

/** A page that asks for this and tells the one around it how that ended. */
function framed(url: string): string {
  return `<script>
    fetch('${url}', { method: 'POST', credentials: 'include' })
      .then(answer => answer.text(), error => error.name)
      .then(text => parent.postMessage(text, '*'))
  </script>`
}

test('no page can put ours into a frame, not even our own', async () => {
  const tab = await Tab.open(person, SIBLING)
  await tab.run(`new Promise(resolve => {
    const frame = Object.assign(document.createElement('iframe'), { src: '${API}/health/live', onload: resolve })
    document.body.append(frame)
  })`)
  const [, frame] = tab.page.frames()
  expect(frame?.url()).toMatch(/^chrome-error:/)
})
