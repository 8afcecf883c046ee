import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DockModule } from '../dock/dock.module.js';
import { FilesModule } from '../files/files.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { BaseModels } from './base-models.js';
import { DeployWork } from './deploy-work.js';
import { DeployedModels } from './deployed-models.js';
import { DeploymentsService } from './deployments.service.js';
import { HostingProcess } from './hosting-process.entity.js';
import { KubernetesHost } from './hosts/kubernetes.js';
import { LocalHost } from './hosts/local.js';
import { ModelHosts } from './hosts/model-hosts.js';
import { ImportModel } from './import-model.js';
import { Model } from './model.entity.js';
import { ModelDeployment } from './model-deployment.entity.js';
import { ModelExports } from './model-exports.js';
import { ModelReplica } from './model-replica.entity.js';
import { ModelProblems } from './model-problems.js';
import { ModelUploads } from './model-uploads.js';
import { ModelsAdminController } from './models.admin.controller.js';
import { ModelsController } from './models.controller.js';
import './models.retention.js';
import { ModelsService } from './models.service.js';
import { ReplicaClient } from './replica-client.js';
import { FleetPace } from './serving/fleet-pace.js';
import { Hosting } from './serving/hosting.js';
import { ModelFiles } from './serving/model-files.js';
import { ReplicaMetrics } from './serving/replica-metrics.js';
import { ReplicaTokens } from './serving/replica-tokens.js';
import { StoredContents } from './stored-contents.js';

/** Imports models and datasets of projects, and serves deployed models. */
@Module({
  imports: [
    DiscoveryModule,
    TenancyModule,
    FilesModule,
    DockModule,
    GatewayModule,
    MikroOrmModule.forFeature([Model, ModelDeployment, ModelReplica, HostingProcess]),
  ],
  controllers: [ModelsController, ModelsAdminController],
  providers: [
    ModelsService,
    DeploymentsService,
    ModelUploads,
    ModelExports,
    StoredContents,
    ImportModel,
    DeployWork,
    BaseModels,
    LocalHost,
    KubernetesHost,
    ModelHosts,
    Hosting,
    FleetPace,
    ReplicaTokens,
    ReplicaMetrics,
    ModelFiles,
    ReplicaClient,
    DeployedModels,
    ModelProblems,
  ],
})
export class ModelsModule {}
