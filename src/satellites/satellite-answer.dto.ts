import { ApiProperty } from '@nestjs/swagger'
import { LOGIN_MODES, SECOND_FACTOR_PLACES } from '../cors/satellite.js'
import { proofChallenge } from './proof/proof-challenge.js'
import type { ProofRow, RegisteredSatellite } from './registered-satellite.js'
import { BrandingBody, CeilingBody } from './satellite-bodies.dto.js'
import { suspensionAfter } from './verification/satellite-proofs.js'

class DnsProof {
  @ApiProperty({ type: String, example: '_mainstay-challenge.shop.example.net' })
  name!: string

  @ApiProperty({ type: String, description: 'The content of its TXT record' })
  value!: string
}

class FileProof {
  @ApiProperty({ type: String, format: 'uri' })
  url!: string

  @ApiProperty({ type: String })
  content!: string
}

class ProofAnswer {
  @ApiProperty({ type: DnsProof })
  dns!: DnsProof

  @ApiProperty({ type: FileProof, nullable: true, description: 'Null for preview satellites' })
  file!: FileProof | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Until when it counts for a pending satellite',
  })
  expiresAt!: string

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it was last found' })
  provenAt!: string | null

  @ApiProperty({
    enum: ['dns', 'file', 'operator'],
    nullable: true,
    description:
      'Where it was last found; `operator`: an operator vouches for the satellite, and nothing is looked up',
  })
  method!: string | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when the daily check has not found it',
  })
  failingSince!: string | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When an active satellite is suspended if it stays missing; null when it is not missing',
  })
  suspendAt!: string | null
}

export class SatelliteAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  id!: string

  @ApiProperty({ type: String })
  origin!: string

  @ApiProperty({ type: String })
  name!: string

  @ApiProperty({ enum: ['production', 'preview'] })
  kind!: string

  @ApiProperty({ enum: ['pending', 'active', 'suspended'] })
  state!: string

  @ApiProperty({
    enum: ['account', 'check', 'operator'],
    nullable: true,
    description:
      'Who has suspended it: somebody of the account, the daily check that did not find the proof, or an operator; null unless it is suspended',
  })
  suspendedBy!: string | null

  @ApiProperty({ type: CeilingBody })
  ceiling!: CeilingBody

  @ApiProperty({ enum: LOGIN_MODES })
  loginMode!: string

  @ApiProperty({ enum: SECOND_FACTOR_PLACES })
  secondFactor!: string

  @ApiProperty({ type: Number, nullable: true })
  sessionSeconds!: number | null

  @ApiProperty({ type: BrandingBody, nullable: true })
  branding!: object | null

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string

  @ApiProperty({ type: ProofAnswer })
  proof!: ProofAnswer
}

export class SatellitesAnswer {
  @ApiProperty({ type: [SatelliteAnswer], description: 'Oldest first' })
  satellites!: SatelliteAnswer[]
}

/** A satellite as its account sees it. */
export function asAnswer({ satellite, proof }: RegisteredSatellite): SatelliteAnswer {
  const { id, origin, name, kind, state, suspendedBy, ceiling, createdAt } = satellite
  const { loginMode, secondFactor, sessionSeconds, branding } = satellite
  return {
    id,
    origin,
    name,
    kind,
    state,
    suspendedBy,
    ceiling: { dataEntry: ceiling.dataEntry, viewReports: ceiling.viewReports },
    loginMode,
    secondFactor,
    sessionSeconds,
    branding,
    createdAt: createdAt.toISOString(),
    proof: {
      ...proofChallenge(origin, proof.token),
      expiresAt: proof.expiresAt.toISOString(),
      provenAt: proof.provenAt?.toISOString() ?? null,
      method: proof.method,
      failingSince: proof.failingSince?.toISOString() ?? null,
      suspendAt: state === 'active' ? suspendAtOf(proof) : null,
    },
  }
}

function suspendAtOf({ failingSince }: ProofRow): string | null {
  return failingSince && suspensionAfter(failingSince).toISOString()
}
