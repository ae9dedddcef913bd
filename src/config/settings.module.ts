import { type DynamicModule, Module } from '@nestjs/common'
import { ConfigModule, registerAs } from '@nestjs/config'
import { Settings } from './settings.js'

/** Makes the validated settings injectable everywhere as {@link Settings}. */
@Module({})
export class SettingsModule {
  static with(settings: Settings): DynamicModule {
    const namespace = registerAs('settings', () => settings)
    return {
      module: SettingsModule,
      global: true,
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [namespace] })],
      providers: [{ provide: Settings, inject: [namespace.KEY], useFactory: (loaded: Settings) => loaded }],
      exports: [Settings],
    }
  }
}
