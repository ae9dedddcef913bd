import { Global, Module } from '@nestjs/common'
import { LeasedJobs } from './leased-jobs.js'

@Global()
@Module({ providers: [LeasedJobs], exports: [LeasedJobs] })
export class JobsModule {}
