import { randomUUID } from 'node:crypto'

export const ISSUER = 'https://api.main-site.example'
export const ACCESS_TOKEN_TTL_SECONDS = 900

/** What a session of the bench knows: as much as one of the service. */
export function aSession(userId) {
  return {
    userId,
    accountId: randomUUID(),
    source: 'satellite',
    permissions: ['dataEntry', 'viewReports'],
    authTime: Math.floor(Date.now() / 1000),
    amr: ['pwd'],
  }
}

/** What an access token of the service says beyond the registered claims, said of this session. */
export function claimsOf({ userId, accountId, source, permissions, authTime, amr }) {
  return {
    userId,
    accountId,
    source,
    client_id: 'https://data.customer-of-ours.example',
    permissions: {
      payments: permissions.includes('payments'),
      accountSettings: permissions.includes('accountSettings'),
      teamManagement: permissions.includes('teamManagement'),
      dataEntry: permissions.includes('dataEntry'),
      viewReports: permissions.includes('viewReports'),
    },
    auth_time: authTime,
    amr,
  }
}
