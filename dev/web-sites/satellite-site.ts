import fastify, { type FastifyInstance } from 'fastify'
import { isLoopback } from '../../src/config/origin.js'
import type { Settings } from '../../src/config/settings.js'
import { serveSites } from '../../src/pages/serve-sites.js'
import { Site } from '../../src/pages/site.js'
import { redirectToOrigin } from './redirect-to-origin.js'

export interface SatelliteSite {
  readonly url: string
  /** Safe to repeat. */
  stop(): Promise<void>
}

/**
 * The satellite on the first of ALLOWED_ORIGINS that is another http origin of this machine; null when there
 * is none, or another instance occupies it: both would serve the same pages, but only for the API of the
 * instance that occupies it.
 */
export async function startSatelliteSite(settings: Settings): Promise<SatelliteSite | null> {
  const origin = [...settings.satelliteOrigins].map(text => new URL(text)).find(isServable)
  if (!origin) return null
  const server = fastify({ forceCloseConnections: true })
  const { publicUrl: apiUrl, mainOrigin: mainUrl, defaultLanguage: language } = settings
  const places = { apiUrl, mainUrl, language }
  const site = new Site('satellite', places, () => ({ ...settings.brand, name: '', logoUrl: null }))
  redirectToOrigin(server, origin.origin)
  await serveSites(server, host => (host === origin.host ? site : null))
  const hasStarted = await listen(server, origin)
  return hasStarted ? { url: origin.origin, stop: () => server.close() } : null
}

function isServable({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && isLoopback(hostname)
}

async function listen(server: FastifyInstance, { hostname, port }: URL): Promise<boolean> {
  try {
    await server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return false
  }
}
