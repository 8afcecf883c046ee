import { defineList, type RequestOf } from '../../platform/list/list.js';
import { File } from './file.entity.js';

export const fileList = defineList(File, {
  sorts: { createdAt: 'id', fileName: 'name', fileSize: 'size' },
});
export type FilesRequest = RequestOf<typeof fileList>;
