import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { SatelliteCheckJob, satelliteProofs, satellites, type User } from '../../sources.js'
import type { DnsServer } from '../../support/dns-server.js'
import type { TestResponse } from '../../support/http-request.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, type SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { onMainSite, provenSession } from './reauthenticate.js'

/** The calls of the main site's page for satellites. */
export function satellitesOf(
  app: TestApp,
  session: SignedIn,
  method = 'GET',
  path = '',
  body?: object,
): Promise<TestResponse> {
  return onMainSite(app, session, method, `/api/satellites${path}`, body)
}

export interface Landlord {
  readonly owner: User
  readonly session: SignedIn
}

/** An owner who has just given the password again, and may add satellites. */
export async function aLandlord(app: TestApp): Promise<Landlord> {
  const owner = await anOwner(app)
  return { owner, session: await provenSession(app, owner) }
}

/** An origin that no test has had. */
export function anOrigin(): string {
  return `https://${aName()}.example.net`
}

export function aName(): string {
  return `shop-${randomUUID().slice(0, 13)}`
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answers.
export type AddedSatellite = any

/** A pending satellite. */
export async function addSatellite(
  app: TestApp,
  { session }: Landlord,
  origin = anOrigin(),
  more: object = {},
): Promise<AddedSatellite> {
  const { status, json, text } = await satellitesOf(app, session, 'POST', '', {
    origin,
    name: 'Rose Shop',
    ...more,
  })
  if (status !== 201) throw new Error(`adding ${origin} answered ${status} ${text}`)
  return json
}

/** Publishes the record that proves a satellite, beside those that are there. */
export function publish(dns: DnsServer, { proof }: AddedSatellite): void {
  const { name, value } = proof.dns
  dns.zones.set(name, { txt: [...(dns.zones.get(name)?.txt ?? []), value] })
}

/** A satellite that has been proven by its record. */
export async function anActiveSatellite(
  app: TestApp,
  dns: DnsServer,
  landlord: Landlord,
  origin = anOrigin(),
  more: object = {},
): Promise<AddedSatellite> {
  const added = await addSatellite(app, landlord, origin, more)
  publish(dns, added)
  const { status, json, text } = await satellitesOf(app, landlord.session, 'POST', `/${added.id}/verify`)
  if (status !== 200) throw new Error(`proving ${origin} answered ${status} ${text}`)
  return json
}

/** What the database knows, whoever may see it. */
export async function stored(app: TestApp, id: string) {
  const [row] = await app.database.run(db =>
    db
      .select()
      .from(satellites)
      .innerJoin(satelliteProofs, eq(satelliteProofs.satelliteId, satellites.id))
      .where(eq(satellites.id, id)),
  )
  return row && { ...row.satellites, proof: row.satellite_proofs }
}

/** The next run of the daily check, after `seconds`; how many were checked. */
export async function check(app: TestApp, seconds = 24 * 60 * 60 + 1): Promise<number | null> {
  await passTime(app, seconds)
  return app.get(SatelliteCheckJob).run()
}
