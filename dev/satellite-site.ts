import fastify, { type FastifyInstance } from 'fastify'
import { serveSites } from '../src/pages/serve-sites.js'
import { Site } from '../src/pages/site.js'
import type { SiteHosts } from '../src/pages/site-hosts.js'
import { hostOf, isLoopback } from '../src/platform/config/origin.js'
import type { Settings } from '../src/platform/config/settings.js'
import { readTlsFiles } from '../src/platform/http/edge/tls-files.js'
import { redirectToOrigin } from './own-hosts.js'

export interface SatelliteSite {
  readonly origin: string
  /** Safe to repeat. */
  stop(): Promise<void>
}

/**
 * The satellite on the first of ALLOWED_ORIGINS that is another origin of this machine: over https where the service
 * has a certificate and such an origin is listed, else over http. Null when there is none, or another instance
 * occupies it: both would serve the same pages, but only for the API of the instance that occupies it.
 */
export async function startSatelliteSite(
  settings: Settings,
  hosts: SiteHosts,
): Promise<SatelliteSite | null> {
  const origins = [...settings.satelliteOrigins].map(text => new URL(text))
  const tls = settings.tls && readTlsFiles(settings.tls)
  const over = (protocol: string) =>
    origins.find(origin => origin.protocol === protocol && isServable(origin, settings.port))
  const origin = (tls && over('https:')) ?? over('http:')
  if (!origin) return null
  const https = origin.protocol === 'https:' ? tls : null
  // Fastify's types know servers of one protocol only.
  const server = fastify({ forceCloseConnections: true, https } as object) as unknown as FastifyInstance
  const { publicUrl: apiUrl, mainOrigin: mainUrl, brand, defaultLanguage: language, stripe } = settings
  const places = { apiUrl, mainUrl, mainName: brand.name, language, takesPayments: stripe !== null }
  const site = new Site('satellite', places, () => hosts.brandAt(origin.origin))
  redirectToOrigin(server, origin.origin)
  await serveSites(server, host => (host === origin.host ? site : null))
  const hasStarted = await listen(server, origin)
  return hasStarted ? { origin: origin.origin, stop: () => server.close() } : null
}

/** The service's own port is not free at any name of this machine. */
function isServable(origin: URL, ownPort: number): boolean {
  return isLoopback(origin.hostname) && portOf(origin) !== ownPort
}

function portOf({ protocol, port }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

async function listen(server: FastifyInstance, origin: URL): Promise<boolean> {
  try {
    await server.listen({ host: hostOf(origin), port: portOf(origin) })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return false
  }
}
