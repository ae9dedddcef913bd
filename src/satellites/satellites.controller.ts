import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { IdInPath } from '../platform/http/request.js'
import { MainSite } from '../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../sessions/guards/write-limit.guard.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { asAnswer } from './satellite-answer.dto.js'
import { SatelliteBody, SatelliteChangeBody, satelliteChangeOf } from './satellite-bodies.dto.js'
import { SatelliteRegistryService } from './satellite-registry.js'
import {
  AddSatelliteDocs,
  ChangeSatelliteDocs,
  FindSatelliteDocs,
  ListSatellitesDocs,
  RemoveSatelliteDocs,
  SuspendSatelliteDocs,
  VerifySatelliteDocs,
} from './satellites.dto.js'
import { SatelliteVerificationService } from './verification/satellite-verification.service.js'

@ApiTags('Satellites')
@Controller('api/satellites')
@MainSite({ permission: 'accountSettings' })
export class SatellitesController {
  constructor(
    private readonly registry: SatelliteRegistryService,
    private readonly verification: SatelliteVerificationService,
    private readonly reauthentication: Reauthentication,
  ) {}

  /** The satellites of the caller's account. */
  @Get()
  @ListSatellitesDocs()
  async list(@CurrentActor() { accountId }: SessionActor) {
    return { satellites: (await this.registry.list(accountId)).map(asAnswer) }
  }

  @Post()
  @MainSite({ reauthenticated: true })
  @AddSatelliteDocs()
  async add(
    @CurrentActor() actor: SessionActor,
    @Body() { origin, name, kind = 'production' }: SatelliteBody,
  ) {
    return asAnswer(await this.registry.add(actor, { origin, name, kind }))
  }

  @Get(':id')
  @FindSatelliteDocs()
  async find(@CurrentActor() { accountId }: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.registry.find(accountId, id))
  }

  /**
   * Where passwords or codes may be typed, that site's server sees them, so somebody who finds an unlocked browser
   * must not be able to allow it.
   */
  @Patch(':id')
  @ChangeSatelliteDocs()
  async change(
    @CurrentActor() actor: SessionActor,
    @Param('id', IdInPath) id: string,
    @Body() body: SatelliteChangeBody,
  ) {
    if (await this.allowsTyping(actor, id, body)) await this.reauthentication.requireLookingUpFactor(actor)
    return asAnswer(await this.registry.change(actor, id, satelliteChangeOf(body)))
  }

  @ContainsDamage()
  @Delete(':id')
  @HttpCode(204)
  @MainSite({ reauthenticated: true })
  @RemoveSatelliteDocs()
  remove(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.registry.remove(actor, id)
  }

  /** Looks for the proof now. */
  @Post(':id/verify')
  @HttpCode(200)
  @VerifySatelliteDocs()
  async verify(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.verification.verify(actor, id))
  }

  @ContainsDamage()
  @Post(':id/suspend')
  @HttpCode(204)
  @SuspendSatelliteDocs()
  suspend(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.registry.suspend(actor, id)
  }

  /** Needs the same proof as at first: somebody who has lost the host meanwhile does not get it back. */
  @Post(':id/resume')
  @HttpCode(200)
  @VerifySatelliteDocs()
  async resume(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.verification.verify(actor, id))
  }

  private async allowsTyping(
    { accountId }: SessionActor,
    id: string,
    { loginMode = 'handoff', secondFactor }: SatelliteChangeBody,
  ): Promise<boolean> {
    if (secondFactor === 'allowed') return true
    const { satellite } = await this.registry.find(accountId, id)
    return loginMode !== 'handoff' && loginMode !== satellite.loginMode
  }
}
