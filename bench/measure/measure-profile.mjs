import { startBare, startService } from '../contestants/service.mjs'
import { GROUPS, microsecondsByGroup } from '../profile/profile-groups.mjs'
import { dataRequests, refreshRequests } from './requests.mjs'

const WARM_UP_SECONDS = 2
const SECONDS = 4

/** Microseconds of processor time a request by group, of the service and the bare handlers, each started anew with a profiler. */
export async function measureProfiles(environment, { opened }) {
  const servers = {
    service: await startService('service-profiled', environment, { isProfiled: true }),
    bare: await startBare(environment, { isProfiled: true }),
  }
  const kinds = { refresh: refreshRequests(opened), data: dataRequests(opened) }
  const profiles = {}
  for (const [kind, requests] of Object.entries(kinds)) {
    profiles[kind] = {}
    for (const [name, server] of Object.entries(servers))
      profiles[kind][name] = await profileOf(server, requests)
  }
  return profiles
}

async function profileOf(server, requests) {
  await requests.load(server, WARM_UP_SECONDS)
  await server.child.ask('start')
  const { requests: count } = await requests.load(server, SECONDS)
  const totals = microsecondsByGroup(await server.child.ask('stop'))
  return Object.fromEntries(GROUPS.map(group => [group, totals[group] / count]))
}
