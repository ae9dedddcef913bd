import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { Site, serveSites } from '../../sources.js'
import type { Certificate } from './certificate.js'
import { API, CUSTOMER, MAIN, SHOP_ONE } from './hosts.js'
import type { Pages } from './pages.js'

const PLACES = { apiUrl: API, mainUrl: MAIN, mainName: 'Mainstay', language: 'en', takesPayments: true }
/** Of a customer who likes it dark. */
export const CUSTOMER_BACKGROUND = '#0b1220'
const BRAND = { name: 'Mainstay', logoUrl: null, accent: '#3b4fd8', supportUrl: null }

const CUSTOMER_BRAND = { ...BRAND, name: '', background: CUSTOMER_BACKGROUND }

/** Each origin with its site, from where `npm run build:web` or another build has put them. */
function sitesIn(folder: string): Readonly<Record<string, Site>> {
  const satellite = new Site('satellite', PLACES, () => ({ ...BRAND, name: '' }), folder)
  return {
    [MAIN]: new Site('main', PLACES, () => BRAND, folder),
    [SHOP_ONE]: satellite,
    [CUSTOMER]: new Site('satellite', PLACES, () => CUSTOMER_BRAND, folder),
  }
}

/** The real pages, as `npm run build:web` made them, with the headers they have everywhere; `folder` has those of another build. */
export async function startBuiltPages(
  { certFile, keyFile }: Certificate,
  folder = 'web/dist',
): Promise<Pages> {
  if (!existsSync(`${folder}/main/index.html`)) throw new Error('Please run npm run build:web, or npm test')
  const https = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  const servers = await Promise.all(
    Object.entries(sitesIn(folder)).map(async ([origin, site]) => {
      const server = fastify({ https, forceCloseConnections: true })
      const { host } = new URL(origin)
      await serveSites(server, asked => (asked === host ? site : null))
      await server.listen({ port: 0, host: '127.0.0.1' })
      return { origin, server }
    }),
  )
  return {
    ports: Object.fromEntries(
      servers.map(({ origin, server }) => [origin, (server.server.address() as AddressInfo).port]),
    ),
    stop: async () => {
      for (const { server } of servers) await server.close()
    },
  }
}
