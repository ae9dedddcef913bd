import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import { PERMISSIONS, type Permission } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { anApp, type Environment, type TestApp } from '../../support/test-app.js'
import { bearer, refreshByCookie } from './api-calls.js'
import { onMainSite } from './reauthenticate.js'
import { claimsOf } from './token-claims.js'

type Session = { readonly accessToken: string; readonly sessionId: string }

/** Who pays nothing enters no data; monthly is without seats, yearly with. */
export const PLANS = {
  withoutPlan: ['teamManagement'],
  plans: [
    {
      name: 'Basic',
      names: { de: 'Basis' },
      features: ['Data entry'],
      translatedFeatures: { de: ['Dateneingabe'] },
      prices: ['price_monthly'],
      entitlements: ['teamManagement', 'dataEntry'],
    },
    {
      name: 'Team',
      prices: ['price_yearly'],
      entitlements: ['teamManagement', 'dataEntry', 'viewReports'],
      seats: true,
    },
  ],
}

/** A plans file, and how to be rid of it. */
export async function aPlansFile(
  plans: unknown = PLANS,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-plans-'))
  const path = join(folder, 'plans.json')
  await writeFile(path, typeof plans === 'string' ? plans : JSON.stringify(plans))
  return { path, remove: () => rm(folder, { recursive: true }) }
}

/** A service that sells these plans, as {@link anApp}. */
export function anAppWithPlans(plans: unknown = PLANS, environment: Environment = {}): TestApp {
  let file: Awaited<ReturnType<typeof aPlansFile>>
  beforeAll(async () => {
    file = await aPlansFile(plans)
  })
  const app = anApp(() => ({ PLANS_FILE: file.path, ...environment }))
  afterAll(() => file.remove())
  return app
}

/** What a session may do after its next refresh, in the order of PERMISSIONS. */
export async function permissionsAfterRefresh(app: TestApp, { sessionId }: Session): Promise<Permission[]> {
  const { json } = await refreshByCookie(app, sessionId)
  return permissionsIn(json.accessToken)
}

export function permissionsIn(accessToken: string): Permission[] {
  const { permissions } = claimsOf(accessToken) as { permissions: Record<Permission, boolean> }
  return PERMISSIONS.filter(name => permissions[name])
}

export function openPortal(app: TestApp, session: Session, body: object = {}): Promise<TestResponse> {
  return onMainSite(app, session, 'POST', '/api/subscription/portal', body)
}

/** What a page asks that the browser has come back to. */
export function readAfter(app: TestApp, { accessToken }: Session, checkout: string): Promise<TestResponse> {
  return app.request({ path: `/api/subscription?checkout=${checkout}`, headers: bearer(accessToken) })
}

/** A click on a button of the provider's pages; rejects unless it was done. */
export async function click(url: string, action: string, fields: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`${url}/${action}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  if (answer.status >= 400) throw new Error(`${action} answered ${answer.status} ${await answer.text()}`)
}

export function quantityOf(app: TestApp, subscriptionId: string): number | undefined {
  return app.sandbox.subscriptions().find(({ id }) => id === subscriptionId)?.items.data[0]?.quantity
}
