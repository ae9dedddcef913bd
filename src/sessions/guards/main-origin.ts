import type { FastifyRequest } from 'fastify'
import type { Settings } from '../../config/settings.js'
import { ApiError } from '../../errors/api-error.js'
import { refuseCrossSite } from './presented-session.js'

/** A satellite's page that requests a main session would get full rights: `MAIN_ORIGIN_REQUIRED` (403). */
export function requireMainOrigin(request: FastifyRequest, { mainOrigin }: Settings): void {
  const { origin } = request.headers
  if (origin === mainOrigin) return
  if (origin !== undefined) throw new ApiError('MAIN_ORIGIN_REQUIRED')
  refuseCrossSite(request)
}
