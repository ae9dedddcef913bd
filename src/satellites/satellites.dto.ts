import type { ErrorCode } from '../platform/errors/api-error.js'
import { BODY_REFUSALS, Documented } from '../platform/http/endpoint.js'
import { SatelliteAnswer, SatellitesAnswer } from './satellite-answer.dto.js'

const COMMON: readonly ErrorCode[] = ['DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE']

export const ListSatellitesDocs = () =>
  Documented({
    summary: 'List the satellites of the account',
    status: 200,
    answer: 'All of them, with what proves each',
    type: SatellitesAnswer,
    refusals: [...COMMON],
  })

export const AddSatelliteDocs = () =>
  Documented({
    summary: 'Add a satellite',
    description:
      'It is `pending`, and its pages are refused, until the account has proven that the host is its own: by the TXT record or the ' +
      'file in `proof`. `https`, port 443 and a name of its own are required; names that many share, such as `github.io`, and IP addresses are refused.',
    status: 201,
    answer: 'Added; `proof` says what to publish',
    type: SatelliteAnswer,
    refusals: [...BODY_REFUSALS, 'ORIGIN_TAKEN', 'TOO_MANY_SATELLITES', 'PLAN_LIMIT_REACHED', ...COMMON],
  })

export const FindSatelliteDocs = () =>
  Documented({
    summary: 'Get one satellite',
    status: 200,
    answer: 'The satellite',
    type: SatelliteAnswer,
    refusals: ['NOT_FOUND', ...COMMON],
  })

export const ChangeSatelliteDocs = () =>
  Documented({
    summary: 'Change a satellite',
    description:
      'Changes what the body has and nothing else. Live on every replica within two seconds; permissions of running sessions change at their next refresh. ' +
      'A re-authentication is needed to let users type second factors there, or passwords where they log in by hand-off.',
    status: 200,
    answer: 'The changed satellite',
    type: SatelliteAnswer,
    refusals: [...BODY_REFUSALS, 'REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED', 'NOT_FOUND', ...COMMON],
  })

export const RemoveSatelliteDocs = () =>
  Documented({
    summary: 'Remove a satellite',
    description: 'Its pages are refused within two seconds, and its sessions cannot be refreshed any longer.',
    status: 204,
    answer: 'Removed',
    refusals: ['NOT_FOUND', 'SATELLITE_SUSPENDED', ...COMMON],
  })

export const VerifySatelliteDocs = () =>
  Documented({
    summary: 'Prove a satellite',
    description:
      'Looks for the record and the file now, and activates the satellite, or resumes a suspended one that no operator has suspended. `PROOF_NOT_FOUND` says in ' +
      '`errors` what was looked up and what came back. An origin moves here when the account that had it can no longer prove it.',
    status: 200,
    answer: 'The active satellite',
    type: SatelliteAnswer,
    refusals: [
      'NOT_FOUND',
      'SATELLITE_SUSPENDED',
      'PROOF_NOT_FOUND',
      'PROOF_EXPIRED',
      'ORIGIN_TAKEN',
      'TOO_MANY_ATTEMPTS',
      ...COMMON,
    ],
  })

export const SuspendSatelliteDocs = () =>
  Documented({
    summary: 'Suspend a satellite',
    description:
      'Its pages are refused within two seconds, and the refresh of its sessions is 401. Everybody else notices nothing.',
    status: 204,
    answer: 'Suspended',
    refusals: ['NOT_FOUND', 'SATELLITE_PENDING', ...COMMON],
  })
