CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session VALUES ('ses_dd110e26effevPdLwOO0jIpmHR', 'global', NULL, NULL, 'quiet-garden', '/home/dev/proj', 'tmp/dev/proj', 'Fake session title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0, 36, 60, 0, 0, 0, NULL, NULL, 'build', '{"id":"fake-model","providerID":"fake"}', 1796083752337, 1796083760221, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_22eef270b0011TQV85iLrffZoq', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083754763, 1796083758765, '{"agent":"build","model":{"modelID":"fake-model","providerID":"fake"},"role":"user","summary":{"diffs":[]},"time":{"created":1796083754763}}');
INSERT INTO message VALUES ('msg_22eef27ae001kDCebc0R10Ijgs', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083754927, 1796083758731, '{"agent":"build","cost":0,"finish":"stop","mode":"build","modelID":"fake-model","parentID":"msg_22eef270b0011TQV85iLrffZoq","path":{"cwd":"/home/dev/proj","root":"/"},"providerID":"fake","role":"assistant","time":{"completed":1796083758725,"created":1796083754927},"tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32}}');
INSERT INTO message VALUES ('msg_22eef384f001wQyaPKw3OEl3dg', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083759183, 1796083760229, '{"agent":"build","model":{"modelID":"fake-model","providerID":"fake"},"role":"user","summary":{"diffs":[]},"time":{"created":1796083759183}}');
INSERT INTO message VALUES ('msg_22eef3864001P2o55DX6ykWQLK', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083759204, 1796083760082, '{"agent":"build","cost":0,"finish":"tool-calls","mode":"build","modelID":"fake-model","parentID":"msg_22eef384f001wQyaPKw3OEl3dg","path":{"cwd":"/home/dev/proj","root":"/"},"providerID":"fake","role":"assistant","time":{"completed":1796083760081,"created":1796083759204},"tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32}}');
INSERT INTO message VALUES ('msg_22eef3bd6001hCJcOWsAvfbPfV', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083760086, 1796083760213, '{"agent":"build","cost":0,"finish":"stop","mode":"build","modelID":"fake-model","parentID":"msg_22eef384f001wQyaPKw3OEl3dg","path":{"cwd":"/home/dev/proj","root":"/"},"providerID":"fake","role":"assistant","time":{"completed":1796083760212,"created":1796083760086},"tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_22eef2716001kYWpph6e2nTM0w', 'msg_22eef270b0011TQV85iLrffZoq', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083754816, 1796083754828, '{"text":"say hello","type":"text"}');
INSERT INTO part VALUES ('prt_22eef3656001mj1d042W0ZBv6N', 'msg_22eef27ae001kDCebc0R10Ijgs', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083758678, 1796083758679, '{"type":"step-start"}');
INSERT INTO part VALUES ('prt_22eef365b0015Sa8ZjJqBY2GUm', 'msg_22eef27ae001kDCebc0R10Ijgs', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083758683, 1796083758704, '{"text":"Hello from the fake model. You said: say hello","time":{"end":1796083758695,"start":1796083758683},"type":"text"}');
INSERT INTO part VALUES ('prt_22eef36750014kXL3cnPUaVH1K', 'msg_22eef27ae001kDCebc0R10Ijgs', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083758709, 1796083758709, '{"cost":0,"reason":"stop","tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32},"type":"step-finish"}');
INSERT INTO part VALUES ('prt_22eef384f002kfUVTuGPeernuU', 'msg_22eef384f001wQyaPKw3OEl3dg', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083759188, 1796083759189, '{"text":"please TOOL now","type":"text"}');
INSERT INTO part VALUES ('prt_22eef38830012rn52DoWDpLJLC', 'msg_22eef3864001P2o55DX6ykWQLK', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083759235, 1796083759236, '{"type":"step-start"}');
INSERT INTO part VALUES ('prt_22eef3886001PabQ36nsfow0DZ', 'msg_22eef3864001P2o55DX6ykWQLK', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083759238, 1796083759276, '{"text":"I will use bash now.","time":{"end":1796083759274,"start":1796083759238},"type":"text"}');
INSERT INTO part VALUES ('prt_22eef388a001MIKFQiwA11TO4A', 'msg_22eef3864001P2o55DX6ykWQLK', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083759242, 1796083760071, '{"callID":"call_fake000004","state":{"input":{"command":"touch tool-ran.txt && echo tool-ran-ok"},"metadata":{"exit":0,"output":"tool-ran-ok\n","truncated":false},"output":"tool-ran-ok\n","status":"completed","time":{"end":1796083760070,"start":1796083759266},"title":"touch tool-ran.txt && echo tool-ran-ok"},"tool":"bash","type":"tool"}');
INSERT INTO part VALUES ('prt_22eef3bc9001tCr7Oxb816N4ye', 'msg_22eef3864001P2o55DX6ykWQLK', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083760073, 1796083760077, '{"cost":0,"reason":"tool-calls","tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32},"type":"step-finish"}');
INSERT INTO part VALUES ('prt_22eef3c43001xGKI6JAW6ClpiC', 'msg_22eef3bd6001hCJcOWsAvfbPfV', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083760195, 1796083760196, '{"type":"step-start"}');
INSERT INTO part VALUES ('prt_22eef3c46001VkAJ2b66vGEswc', 'msg_22eef3bd6001hCJcOWsAvfbPfV', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083760199, 1796083760206, '{"text":"The tool finished. Its result was: tool-ran-ok","time":{"end":1796083760206,"start":1796083760198},"type":"text"}');
INSERT INTO part VALUES ('prt_22eef3c51001x1nNRJreBQzUkl', 'msg_22eef3bd6001hCJcOWsAvfbPfV', 'ses_dd110e26effevPdLwOO0jIpmHR', 1796083760209, 1796083760210, '{"cost":0,"reason":"stop","tokens":{"cache":{"read":0,"write":0},"input":12,"output":20,"reasoning":0,"total":32},"type":"step-finish"}');
