import {
  RegisteredSatellites,
  type SatelliteChange,
  type SatelliteRow,
  Satellites,
  type User,
} from '../sources.js'
import type { TestApp } from './test-app.js'

type Wanted = SatelliteChange & Partial<Pick<SatelliteRow, 'kind'>>

/** An active satellite of the owner's account, as if proven; this replica knows it at once. */
export async function aSatellite(
  app: TestApp,
  { accountId }: Pick<User, 'accountId'>,
  origin: string,
  { kind = 'production', ...change }: Wanted = {},
): Promise<SatelliteRow> {
  const registered = app.get(RegisteredSatellites)
  const satellite = await app.database.transaction(async transaction => {
    const added = await registered.add(transaction, { accountId, origin, name: 'A shop', kind })
    await registered.activate(transaction, added.satellite)
    const hasChange = Object.keys(change).length > 0
    return hasChange ? registered.change(transaction, added.satellite.id, change) : added.satellite
  })
  await app.get(Satellites).refresh()
  return satellite
}

/** Suspends it or makes it active again; every replica learns it by itself. */
export function setSatelliteState(
  app: TestApp,
  { id, accountId }: Pick<SatelliteRow, 'id' | 'accountId'>,
  state: 'active' | 'suspended',
): Promise<void> {
  const registered = app.get(RegisteredSatellites)
  return app.database.transaction(async transaction => {
    const { satellite } = await registered.lock(transaction, accountId, id)
    if (state === 'active') await registered.activate(transaction, satellite)
    else await registered.suspend(transaction, id, 'account')
  })
}
